-- SPEC §3. Times without a zone are UTC throughout.

create table users (
  id serial primary key,
  email varchar(255) not null,
  password varchar(255) not null,
  name varchar(255) not null,
  role varchar(50) not null default 'user' check (role in ('user', 'admin')),
  is_active boolean not null default true,
  is_email_verified boolean not null default false,
  email_verification_token varchar(255),
  password_reset_token varchar(255),
  password_reset_expires timestamp,
  login_attempts integer not null default 0,
  lock_until timestamp,
  created_at timestamp not null default (now() at time zone 'utc'),
  updated_at timestamp not null default (now() at time zone 'utc')
);
-- Nobody remembers which letters of their address they wrote large.
create unique index users_email on users (lower(email));

-- sid holds a hash of the cookie's value.
create table sessions (
  sid varchar(128) primary key,
  sess json not null,
  expire timestamp not null
);
create index sessions_expire on sessions (expire);
create index sessions_user on sessions ((sess ->> 'userId'));

-- Devices that signed in to an account before keep their own count of wrong passwords.
create table known_devices (
  user_id integer not null references users (id) on delete cascade,
  device_hash varchar(64) not null,
  last_seen_at timestamp not null,
  login_attempts integer not null default 0,
  lock_until timestamp,
  primary key (user_id, device_hash)
);

-- Addresses nobody has are counted and locked as accounts are, so that the answer does not show which exist.
create table unknown_sign_ins (
  email_hash varchar(64) primary key,
  seen_at timestamp not null,
  login_attempts integer not null default 0,
  lock_until timestamp
);
create index unknown_sign_ins_seen on unknown_sign_ins (seen_at);

-- Who changed what, when. Never a secret, never a whole row.
create table audit_log (
  id bigserial primary key,
  at timestamptz not null default now(),
  user_id integer references users (id) on delete set null,
  -- As it was then: the account may be gone or renamed.
  actor varchar(255) not null,
  action varchar(100) not null,
  subject varchar(255),
  details jsonb not null default '{}'
);
create index audit_log_at on audit_log (at);
