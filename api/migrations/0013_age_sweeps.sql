-- When the database's clock was last looked at, and a jump of it that nobody has confirmed yet.
create table clock_watch (
  one boolean primary key default true check (one),
  seen_at timestamptz not null,
  jumped_at timestamptz,
  -- Seconds; negative for a jump back.
  jumped_by double precision
);
-- Removals by age that stopped, as they would remove a large part of what there is.
create table held_sweeps (
  name varchar(50) primary key,
  due integer not null,
  total integer not null,
  -- When an administrator let it go on.
  allowed_at timestamptz
);
