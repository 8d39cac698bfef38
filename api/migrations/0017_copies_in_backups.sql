-- Whether backups hold small copies; without them a restore makes them anew.
alter table copy_settings add column in_backups boolean not null default false;
