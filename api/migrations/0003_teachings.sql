-- SPEC §3, with what sync, delivery and the 30-day bin need besides.

create table teachings (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  title varchar(255) not null,
  speaker varchar(255) not null,
  -- A plain calendar date, YYYY-MM-DD, without time or zone.
  date varchar(50) not null
    check (date ~ '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$'
           and make_date(substr(date, 1, 4)::int, substr(date, 6, 2)::int, substr(date, 9, 2)::int) is not null),
  scripture_reference varchar(255),
  audio_url varchar(500),
  -- m:ss or h:mm:ss
  duration varchar(50),
  year integer not null,
  -- Hash of the recording's bytes, lower-case hex; its file and address are named after it.
  audio_sha256 char(64) check (audio_sha256 ~ '^[0-9a-f]{64}$'),
  audio_bytes bigint check (audio_bytes > 0),
  audio_mime varchar(100),
  -- CRC-32 of the recording, unsigned: known beforehand it makes a backup's length known.
  audio_crc32 bigint check (audio_crc32 between 0 and 4294967295),
  -- First and last verse of the reference as comparable numbers (book * 1000000 + chapter * 1000 + verse).
  scripture_start integer,
  scripture_end integer check (scripture_end >= scripture_start),
  deleted_at timestamptz,
  check (year = substr(date, 1, 4)::int),
  check (title <> '' or coalesce(scripture_reference, '') <> ''),
  check ((audio_sha256 is null) = (audio_bytes is null))
);
-- The same recording stands in the library once.
create unique index teachings_audio_sha256 on teachings (audio_sha256)
  where deleted_at is null and audio_sha256 is not null;
create index teachings_date on teachings (date desc, id desc) where deleted_at is null;
create index teachings_deleted on teachings (deleted_at) where deleted_at is not null;
select sync_register('teachings', 'teaching');

create table elders (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  name varchar(255) not null,
  role varchar(100) not null,
  short_bio text not null,
  extended_bio text not null,
  image_url varchar(500),
  display_order integer not null default 0
);
select sync_register('elders', 'elder');

-- A replaced recording has a new address; the old one leads on to it for a while.
create table audio_moved (
  old_sha256 char(64) primary key check (old_sha256 ~ '^[0-9a-f]{64}$'),
  new_sha256 char(64) not null check (new_sha256 ~ '^[0-9a-f]{64}$'),
  moved_at timestamptz not null default now()
);
create index audio_moved_at on audio_moved (moved_at);

-- Recordings on their way in that outlive one request. The id is also the uid of the teaching to come.
create table uploads (
  id uuid primary key,
  user_id integer references users (id) on delete cascade,
  state varchar(20) not null default 'open' check (state in ('open', 'finalized', 'refused', 'cancelled')),
  filename varchar(500) not null,
  declared_bytes bigint not null check (declared_bytes >= 0),
  declared_sha256 char(64) check (declared_sha256 ~ '^[0-9a-f]{64}$'),
  fields jsonb not null default '{}',
  teaching_id integer references teachings (id) on delete set null,
  created_at timestamptz not null default now(),
  touched_at timestamptz not null default now()
);
create index uploads_user on uploads (user_id) where state = 'open';
