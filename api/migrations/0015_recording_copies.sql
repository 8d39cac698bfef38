-- What is known of a recording's sound, and its small copy.
create table recording_copies (
  -- Of the original.
  sha256 char(64) primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  -- 'working' while it is being made, also after the process was killed meanwhile.
  state varchar(20) not null check (state in ('working', 'done', 'retry', 'failed', 'needs_ffmpeg')),
  tries integer not null default 0,
  tried_at timestamptz not null,
  -- Why it failed.
  why varchar(500),
  -- LUFS and dBTP of the original.
  loudness real,
  true_peak real,
  faults varchar(20)[] not null default '{}',
  -- Waveform and silences as JSON, at most 2 kB.
  sound varchar(2048),
  copy_sha256 char(64) unique check (copy_sha256 ~ '^[0-9a-f]{64}$'),
  copy_bytes bigint check (copy_bytes > 0),
  copy_crc32 bigint check (copy_crc32 between 0 and 4294967295),
  check ((copy_sha256 is null) = (copy_bytes is null)),
  check (state = 'done' or copy_sha256 is null)
);

-- Whether an administrator paused the making of copies.
create table copy_settings (
  one boolean primary key default true check (one),
  paused boolean not null default false
);
insert into copy_settings default values;

alter table teachings
  add column copy_url varchar(500),
  add column copy_bytes bigint,
  add column copy_mime varchar(100),
  add column loudness real;

-- A teaching carries the copy of its present recording, also where it gets one that was copied before. The trigger's name
-- puts it before those of sync, which compare the row with the previous one.
create function teaching_copy() returns trigger language plpgsql as $$
begin
  select '/audio/' || copy_sha256 || '.mp3', copy_bytes, case when copy_sha256 is not null then 'audio/mpeg' end, loudness
    into new.copy_url, new.copy_bytes, new.copy_mime, new.loudness
    from recording_copies where sha256 = new.audio_sha256 and state = 'done';
  return new;
end $$;
create trigger copy_of_recording before insert or update of audio_sha256 on teachings
  for each row execute function teaching_copy();
