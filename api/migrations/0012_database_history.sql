-- Which history of the database the last start continued: a copy that was put back, or a recovery to an earlier time, is
-- another one, in which numbers and revisions would be given out a second time.
create table database_history (
  one boolean primary key default true check (one),
  -- PostgreSQL's own: the cluster, and how often its history branched. Null where the account may not ask.
  system_identifier varchar(30),
  timeline integer,
  -- The file that the last start left beside an embedded database, and the boot of the machine; null for another database.
  start_file varchar(200),
  boot varchar(100),
  -- Whether that start was ended in order.
  stopped boolean not null default false
);
