-- What a resumable upload was announced with, which is told to whoever asks how far it came, and what it ended with,
-- which is told to whoever asks again.
alter table uploads
  add column metadata jsonb not null default '{}',
  add column answer jsonb,
  add check (state in ('finalized', 'refused') or answer is null);
