-- How a change gets its place in the order that devices follow: one revision per transaction, from one locked row.
-- Whoever writes a synced table holds that row until commit, so a reader who sees revision R sees all before it.

create table sync_clock (
  one boolean primary key default true check (one),
  -- A restore gives a new one: cursors from before it are void.
  epoch uuid not null default gen_random_uuid(),
  rev bigint not null default 0,
  -- Tombstones at or below this revision were thrown away.
  floor bigint not null default 0
);
insert into sync_clock default values;

-- The newest change of each entity, nothing older.
create table sync_change (
  kind text not null,
  uid uuid not null,
  rev bigint not null,
  op text not null check (op in ('put', 'del')),
  changed_at timestamptz not null default now(),
  primary key (kind, uid)
);
create index sync_change_rev on sync_change (rev);

-- Answers already given, so that a repeated request does nothing twice.
create table sync_mutation (
  mutation_id uuid primary key,
  user_id integer not null references users (id) on delete cascade,
  request_hash varchar(64) not null,
  status integer not null,
  answer jsonb not null,
  rev bigint,
  created_at timestamptz not null default now()
);
create index sync_mutation_created on sync_mutation (created_at);

-- The revision of this transaction. The first call takes the clock's lock and keeps it until commit; whoever locks
-- synced rows (select … for update) calls this first, or two such transactions can wait for each other.
create function sync_alloc() returns bigint language plpgsql as $$
declare
  kept text := current_setting('sync.tx', true);
  me text := pg_current_xact_id()::text;
  allocated bigint;
begin
  if kept is not null and split_part(kept, ':', 1) = me then
    return split_part(kept, ':', 2)::bigint;
  end if;
  update sync_clock set rev = rev + 1 returning rev into allocated;
  perform set_config('sync.tx', me || ':' || allocated, true);
  -- Heard by every process after commit.
  perform pg_notify('sync', allocated::text);
  return allocated;
end $$;

-- Before any row is locked. Without it two transactions that touch rows in different order block each other.
create function sync_statement() returns trigger language plpgsql as $$
begin
  perform sync_alloc();
  return null;
end $$;

-- Stamps the revision; a write that changes nothing is skipped and burns none.
create function sync_before_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'rev' = to_jsonb(old) - 'rev' then
    return null;
  end if;
  new.rev := sync_alloc();
  return new;
end $$;

-- Trigger argument: the kind on the wire. A row with deleted_at is gone as far as devices are concerned.
create function sync_after_row() returns trigger language plpgsql as $$
declare
  touched record;
  gone boolean;
begin
  if tg_op = 'DELETE' then
    touched := old;
    gone := true;
  else
    touched := new;
    gone := coalesce((to_jsonb(new) ->> 'deleted_at') is not null, false);
  end if;
  insert into sync_change as kept (kind, uid, rev, op)
  values (tg_argv[0], touched.uid, sync_alloc(), case when gone then 'del' else 'put' end)
  on conflict (kind, uid) do update set rev = excluded.rev, op = excluded.op, changed_at = now();
  return null;
end $$;

-- Puts a table under sync. Triggers of one time fire in the order of their names.
create function sync_register(target regclass, kind text) returns void language plpgsql as $$
begin
  execute format('create trigger sync_1_statement before insert or update or delete on %s for each statement execute function sync_statement()', target);
  execute format('create trigger sync_2_before_row before insert or update on %s for each row execute function sync_before_row()', target);
  execute format('create trigger sync_3_after_row after insert or update or delete on %s for each row execute function sync_after_row(%L)', target, kind);
end $$;
