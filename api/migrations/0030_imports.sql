-- The identity of an episode that moved in from another feed: subscribers know it by this. Without one it is the uid.
alter table teachings add column guid varchar(1000);
create index teachings_guid on teachings (guid) where guid is not null;

-- Moving a library in from another site. No foreign keys: a restore writes tables by their names.
create table imports (
  id uuid primary key,
  state varchar(20) not null
    check (state in ('reading', 'ready', 'importing', 'paused', 'done', 'undone', 'failed')),
  source varchar(2000) not null,
  kind varchar(20) not null,
  options jsonb not null default '{}',
  facts jsonb not null default '{}',
  -- The text of a source that is a file; an address is read when its turn comes.
  document text,
  failure varchar(2000),
  by_id integer,
  by_name varchar(255) not null,
  began_at timestamptz not null,
  finished_at timestamptz,
  -- When the source is read again; null if it is not followed.
  follow_at timestamptz
);

create table import_items (
  -- Becomes the uid of the teaching.
  id uuid primary key,
  import_id uuid not null,
  position integer not null,
  guid varchar(1000) not null,
  incoming jsonb not null,
  verdict varchar(20) not null
    check (verdict in ('new', 'same', 'changed', 'unreadable', 'too_large', 'no_audio')),
  reason varchar(1000) not null default '',
  -- Null until its turn has come.
  outcome varchar(20) check (outcome in ('imported', 'same', 'failed', 'undone')),
  tries integer not null default 0,
  -- The teaching that it became, or that was in the library already.
  teaching uuid,
  unique (import_id, guid)
);
create index import_items_order on import_items (import_id, position);

-- Addresses of other sites that lead to their successors here.
create table old_addresses (
  -- Path and query, without a slash at its end.
  address varchar(2000) primary key,
  kind varchar(20) not null check (kind in ('page', 'recording', 'feed')),
  -- Null for a feed.
  teaching uuid,
  import_id uuid not null
);
