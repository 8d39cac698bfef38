-- Series: teachings that belong together, in the order that people give them. A teaching may be in several.
create table series (
  uid uuid primary key default gen_random_uuid(),
  rev bigint not null default 0,
  -- From the first title; stays when that changes, also while the series is in the bin.
  slug varchar(100) not null unique check (slug <> ''),
  title varchar(200) not null check (title <> ''),
  description varchar(2000) not null default '',
  -- By uid, in order. A deleted teaching stays in the list, as it may be restored.
  teachings uuid[] not null default '{}'
    check (cardinality(teachings) <= 500 and array_position(teachings, null) is null),
  deleted_at timestamptz
);
select sync_register('series', 'series');
