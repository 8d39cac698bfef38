-- Bytes of a person's rows as JSON, with their keys: limited for each person and for all.
alter table listening_accounts add column bytes bigint not null default 0;
update listening_accounts set bytes = coalesce((
  select sum(octet_length(content::text) + 100) from listening_rows
  where listening_rows.user_id = listening_accounts.user_id), 0);

-- Lines that left the audit log by age or size, in portions of consecutive ones. They stay in every backup until the archive is
-- full.
create table audit_archive (
  first_id bigint primary key,
  last_id bigint not null check (last_id >= first_id),
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Rows of audit_log.
  lines jsonb not null check (jsonb_typeof(lines) = 'array')
);
