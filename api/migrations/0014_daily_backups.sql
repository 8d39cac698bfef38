-- A copy of the database alone is written every day, beside the whole backup of every week.
alter table backups drop constraint backups_kind_check;
alter table backups add constraint backups_kind_check check (kind in ('manual', 'weekly', 'daily'));
