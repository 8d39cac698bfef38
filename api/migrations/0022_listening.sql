-- People who want their listening kept with the account. The row stays while it is turned off, until they delete it.
create table listening_accounts (
  user_id integer primary key references users (id) on delete cascade,
  enabled boolean not null default true,
  -- New where it begins again after a deletion: cursors from before are void.
  generation uuid not null default gen_random_uuid(),
  -- Raised by each request that changed something; its row lock puts the requests of a person's devices in order.
  rev bigint not null default 0
);

-- Places, marks, notes and Up next of one person; merged by the same rules as on the devices.
create table listening_rows (
  user_id integer not null references users (id) on delete cascade,
  kind varchar(20) not null check (kind in ('position', 'marks', 'note', 'upNext')),
  -- The teaching's uid, or the note's id. No reference: a deleted teaching may be restored.
  key uuid not null,
  rev bigint not null,
  content jsonb not null,
  primary key (user_id, kind, key)
);
create index listening_rows_rev on listening_rows (user_id, rev);
