-- Notifications of new teachings, for devices that asked for them.

-- The key pair by which push services recognize this server: one for all its processes.
create table push_keys (
  id boolean primary key default true check (id),
  public_key varchar(100) not null,
  private_key_sealed varchar(500) not null,
  -- When the message of the week was last due.
  week_told_at timestamptz not null
);

-- Devices, by nothing but what their browser's push service needs: no account, no address of a person.
create table push_subscriptions (
  uid uuid primary key default gen_random_uuid(),
  endpoint varchar(1000) not null unique,
  p256dh varchar(87) not null,
  auth varchar(22) not null,
  every varchar(10) not null check (every in ('teaching', 'week')),
  created_at timestamptz not null,
  -- When its push service last took a message.
  sent_at timestamptz,
  -- Messages in a row that it did not take.
  failures integer not null default 0
);

-- Teachings that came in and are still to be told of. A correction is none, nor what comes back out of the bin.
create table push_news (
  teaching uuid primary key,
  added_at timestamptz not null default clock_timestamp(),
  -- Told to those who want to know of each; the others are told once a week.
  told boolean not null default false
);
create function note_push_news() returns trigger language plpgsql as $$
begin
  insert into push_news (teaching) values (new.uid) on conflict do nothing;
  return null;
end $$;
create trigger teachings_push_news after insert on teachings
  for each row execute function note_push_news();

-- Messages on their way, one for each device. A row is leased by moving due_at before it is sent.
create table push_deliveries (
  id uuid primary key default gen_random_uuid(),
  subscription uuid not null references push_subscriptions (uid) on delete cascade,
  message jsonb not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  -- After this moment nobody wants to be told any more.
  expires_at timestamptz not null
);
create index push_deliveries_due on push_deliveries (due_at);
create index push_deliveries_subscription on push_deliveries (subscription);
