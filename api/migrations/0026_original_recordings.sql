-- Recordings that were written anew for browsers, as they arrived. They are kept until a backup of everything has them.
create table original_recordings (
  -- Of the bytes that arrived.
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Of the recording that was published instead.
  recording_sha256 text not null,
  bytes bigint not null,
  crc32 bigint not null,
  received_at timestamptz not null
);
