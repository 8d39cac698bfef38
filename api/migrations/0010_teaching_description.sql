-- What a teaching is about, in a few sentences; shown under its row and in the feed.
alter table teachings add column description varchar(2000);
