-- Recordings with silence cut off at their ends, each with the untouched one, which is kept as long as the teaching has the
-- trimmed one.
create table trimmed_recordings (
  -- Of the trimmed recording.
  sha256 char(64) primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  audio_url varchar(500) not null,
  audio_sha256 char(64) not null check (audio_sha256 ~ '^[0-9a-f]{64}$'),
  audio_bytes bigint not null check (audio_bytes > 0),
  audio_mime varchar(100) not null,
  audio_crc32 bigint check (audio_crc32 between 0 and 4294967295),
  duration varchar(50)
);
