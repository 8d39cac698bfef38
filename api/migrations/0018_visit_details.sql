-- What a person who plans a first visit is told. An empty text is not shown; a missing row has only empty ones.
create table visit_details (
  one boolean primary key default true check (one),
  expect varchar(2000) not null default '',
  for_children varchar(2000) not null default '',
  parking varchar(2000) not null default '',
  phone varchar(30) not null default ''
);
