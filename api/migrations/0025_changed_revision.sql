-- The revision at which somebody last changed the words or the recording of a teaching, put it into the bin or took it
-- out. `rev` is also raised by what the server adds by itself: the loudness and the small copy. Who saw an earlier revision
-- than that has missed nothing, and their change is no conflict. Null: as `rev`, from before this migration.
alter table teachings add column changed_rev bigint;

create function teaching_changed_rev() returns trigger language plpgsql as $$
declare
  added constant text[] := array['rev', 'changed_rev', 'copy_url', 'copy_bytes', 'copy_mime', 'loudness'];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - added = to_jsonb(old) - added then
    new.changed_rev := coalesce(old.changed_rev, old.rev);
  else
    new.changed_rev := sync_alloc();
  end if;
  return new;
end $$;
-- After the trigger that adds the copy, before those of sync, which compare the row with the previous one.
create trigger revision_of_change before insert or update on teachings
  for each row execute function teaching_changed_rev();

-- The revision at which this epoch began. Those up to it may have been given out in a state that was replaced.
alter table sync_clock add column epoch_rev bigint not null default 0;
update sync_clock set epoch_rev = floor;
