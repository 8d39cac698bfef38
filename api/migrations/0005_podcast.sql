-- The identity of the podcast feed: assigned once, kept even if the site moves to another address.
create table podcast (
  one boolean primary key default true check (one),
  guid uuid not null,
  -- What it was made from.
  feed_address varchar(500) not null
);
