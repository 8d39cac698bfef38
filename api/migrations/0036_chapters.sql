-- Chapters of a recording, one on a line: its time, its title, and whether the teaching starts there.
alter table teachings add column chapters varchar(16000);
-- Seconds that were cut off at the start, by which chapters move back with the untouched recording.
alter table trimmed_recordings add column start_seconds double precision not null default 0;
