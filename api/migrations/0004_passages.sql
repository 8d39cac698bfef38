-- Scripture that pages and popovers may quote, as a fellowship imported it, with its publisher's line.
create table passages (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  reference varchar(255) not null,
  text text not null,
  translation varchar(100) not null,
  copyright_line text not null
);
create unique index passages_reference on passages (reference, translation);
select sync_register('passages', 'passage');
