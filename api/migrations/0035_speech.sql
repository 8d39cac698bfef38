-- Drafts of what was said, made by a machine: one attempt per teaching and recording.
create table speech_jobs (
  -- The uid of the teaching. No foreign key: a restore writes tables by their names.
  teaching uuid primary key,
  sha256 varchar(64) not null,
  state varchar(10) not null check (state in ('working', 'retry', 'failed', 'done')),
  tries integer not null default 0,
  why varchar(500),
  tried_at timestamptz not null,
  -- Of a finished one: seconds of speech that were sent, and seconds it took.
  sound_seconds real,
  took_seconds real
);

create table speech_settings (
  one boolean primary key default true check (one),
  paused boolean not null default false,
  -- Names and words of the church, one per line: a hint for the machine, and corrections of what it heard.
  words varchar(4000) not null default ''
);
insert into speech_settings default values;
