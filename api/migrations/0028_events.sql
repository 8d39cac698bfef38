-- Events: times by the clocks of the church, as text, so that no time zone moves them. An event repeats by an RRULE of RFC 5545.
create table events (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  title varchar(200) not null check (title <> ''),
  place varchar(200) not null default '',
  description varchar(2000) not null default '',
  starts varchar(16) not null check (starts ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d$'),
  ends varchar(16) not null check (ends ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d$' and ends > starts),
  repeats varchar(200),
  -- Local dates on which it does not take place.
  cancelled text[] not null default '{}'
    check (cardinality(cancelled) <= 400 and array_position(cancelled, null) is null),
  -- For calendars, which compare both with the copy that they have.
  sequence integer not null default 0,
  changed_at timestamptz not null default now()
);
select sync_register('events', 'event');

-- Notices on top of Home, from one day until another, both included.
create table notices (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  text varchar(500) not null check (text <> ''),
  "from" varchar(10) not null check ("from" ~ '^\d{4}-\d\d-\d\d$'),
  until varchar(10) not null check (until ~ '^\d{4}-\d\d-\d\d$' and until >= "from")
);
select sync_register('notices', 'notice');
