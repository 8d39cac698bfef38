-- Pages that administrators write. Home and About always exist; they have parts instead of a text, null as long as they are those of
-- api/pages.defaults.json.
create table pages (
  id serial primary key,
  uid uuid not null unique default gen_random_uuid(),
  rev bigint not null default 0,
  title varchar(100) not null check (title <> ''),
  slug varchar(60) not null check (slug <> ''),
  text varchar(20000) not null default '',
  in_navigation boolean not null default false,
  draft boolean not null default false,
  parts jsonb,
  deleted_at timestamptz
);
create unique index pages_slug on pages (slug) where deleted_at is null;

-- The bin for 30 days, as for teachings.
alter table events add column deleted_at timestamptz;
alter table notices add column deleted_at timestamptz;

-- The revision of the last change to the links of the navigation, which travel with the site.
alter table sync_clock add column links_rev bigint not null default 0;

-- As before; besides, a row with `draft` set does not exist for devices: without a mark if it never did.
create or replace function sync_after_row() returns trigger language plpgsql as $$
declare
  touched jsonb;
  hidden boolean;
  was_hidden boolean := true;
begin
  if tg_op <> 'INSERT' then
    was_hidden := coalesce((to_jsonb(old) ->> 'draft')::boolean, false);
  end if;
  touched := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  hidden := coalesce((touched ->> 'draft')::boolean, false);
  if hidden and was_hidden then
    return null;
  end if;
  insert into sync_change as kept (kind, uid, rev, op)
  values (tg_argv[0], (touched ->> 'uid')::uuid, sync_alloc(),
    case when tg_op = 'DELETE' or hidden or touched ->> 'deleted_at' is not null then 'del' else 'put' end)
  on conflict (kind, uid) do update set rev = excluded.rev, op = excluded.op, changed_at = now();
  return null;
end $$;

select sync_register('pages', 'page');
insert into pages (slug, title) values ('home', 'Home'), ('about', 'About');
