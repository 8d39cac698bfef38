-- The picture of a series: the address of its middle size, like an elder's.
alter table series add column image_url varchar(500);
