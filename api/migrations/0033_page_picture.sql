-- The picture of a further page: the address of its middle size, like that of a series.
alter table pages add column image_url varchar(500);
