-- The index of what was said: the words of each approved text, and the dictionary that numbers most of them. Both are made from
-- the texts, so that no backup holds them.
create table spoken_dictionary (
  piece integer primary key,
  -- Of this piece and of all before it.
  id varchar(16) not null,
  words text not null
);
create table spoken_texts (
  -- The uid of the teaching. A row whose revision is not that of its approved text is never sent, and removed later.
  teaching uuid primary key,
  rev bigint not null,
  numbers text not null,
  own text not null
);
