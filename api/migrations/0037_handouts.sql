-- Handouts of a teaching, PDF files and pictures: [{"hash", "name", "type", "bytes"}], named by the SHA-256 of their bytes; null
-- without any.
alter table teachings add column handouts jsonb check (jsonb_typeof(handouts) = 'array');
create index teachings_handouts on teachings using gin (handouts jsonb_path_ops) where handouts is not null;

-- As before; besides, a handout is added beside the words and the recording of the teaching, and is no conflict with an edit.
create or replace function teaching_changed_rev() returns trigger language plpgsql as $$
declare
  added constant text[] :=
    array['rev', 'changed_rev', 'copy_url', 'copy_bytes', 'copy_mime', 'loudness', 'transcript_rev', 'handouts'];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - added = to_jsonb(old) - added then
    new.changed_rev := coalesce(old.changed_rev, old.rev);
  else
    new.changed_rev := sync_alloc();
  end if;
  return new;
end $$;
