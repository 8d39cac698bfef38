-- When the file of a recording was last compared with its hash, and what is wrong with it.
create table recording_checks (
  sha256 char(64) primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Null while only its presence and size were looked at.
  hashed_at timestamptz,
  fault varchar(20) check (fault in ('missing', 'damaged'))
);
create index recording_checks_fault on recording_checks (fault) where fault is not null;
-- When a recurring job last ran, whichever process ran it.
create table chore_runs (
  name varchar(100) primary key,
  ran_at timestamptz not null
);
