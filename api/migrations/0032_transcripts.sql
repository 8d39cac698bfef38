-- What was said in a teaching, as sentences with their times. Each text that is saved is a row of its own; of a teaching one
-- draft and one approved text are current, and what they replaced is in the bin for 30 days.
create table transcripts (
  id serial primary key,
  -- The uid of the teaching. No foreign key: a restore writes tables by their names.
  teaching uuid not null,
  state varchar(10) not null check (state in ('draft', 'approved')),
  -- The revision of sync at which it was approved; null for a draft, which devices never get.
  rev bigint check ((rev is null) = (state = 'draft')),
  source varchar(10) not null check (source in ('person', 'sftp', 'import', 'machine')),
  -- As BCP 47; empty if unknown.
  language varchar(35) not null default '',
  sentences jsonb not null check (jsonb_typeof(sentences) = 'array'),
  by_id integer,
  by_name varchar(255) not null,
  saved_at timestamptz not null,
  approved_by varchar(255),
  approved_at timestamptz,
  deleted_at timestamptz
);
create unique index transcripts_current on transcripts (teaching, state) where deleted_at is null;
create index transcripts_versions on transcripts (teaching, id);
create index transcripts_deleted on transcripts (deleted_at) where deleted_at is not null;

-- The revision of the approved text; null without one. By it devices know that there is a text, and when it changed.
alter table teachings add column transcript_rev bigint;

-- As before; besides, a text is approved beside the words and the recording of the teaching, and is no conflict with an edit.
create or replace function teaching_changed_rev() returns trigger language plpgsql as $$
declare
  added constant text[] :=
    array['rev', 'changed_rev', 'copy_url', 'copy_bytes', 'copy_mime', 'loudness', 'transcript_rev'];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - added = to_jsonb(old) - added then
    new.changed_rev := coalesce(old.changed_rev, old.rev);
  else
    new.changed_rev := sync_alloc();
  end if;
  return new;
end $$;

-- An approved text has the revision of the transaction that approved it, also in a restore. Drafts allocate none.
create function transcript_before_row() returns trigger language plpgsql as $$
begin
  if new.state = 'draft' then
    new.rev := null;
  elsif tg_op = 'INSERT' or old.state = 'draft' then
    new.rev := sync_alloc();
  end if;
  return new;
end $$;
create trigger transcript_1_before_row before insert or update on transcripts
  for each row execute function transcript_before_row();

create function transcript_after_row() returns trigger language plpgsql as $$
declare
  touched uuid := case when tg_op = 'DELETE' then old.teaching else new.teaching end;
  current_rev bigint;
begin
  select rev into current_rev from transcripts
    where teaching = touched and state = 'approved' and deleted_at is null;
  update teachings set transcript_rev = current_rev
    where uid = touched and transcript_rev is distinct from current_rev;
  return null;
end $$;
create trigger transcript_2_after_insert after insert on transcripts
  for each row when (new.state = 'approved') execute function transcript_after_row();
create trigger transcript_2_after_update after update on transcripts
  for each row when (new.state = 'approved' or old.state = 'approved') execute function transcript_after_row();
create trigger transcript_2_after_delete after delete on transcripts
  for each row when (old.state = 'approved') execute function transcript_after_row();

-- Recordings and their texts arrive by SFTP as two files of one name, in either order. A row for each name: the teaching that
-- its recording became, and the text as long as it waits for one.
create table dropped_files (
  -- Without its ending.
  name varchar(500) primary key,
  teaching uuid,
  language varchar(35) not null default '',
  sentences jsonb,
  arrived_at timestamptz not null
);
create index dropped_files_arrived on dropped_files (arrived_at);
