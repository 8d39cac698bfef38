-- Recordings that differ in their tags alone have the same small copy.
alter table recording_copies drop constraint recording_copies_copy_sha256_key;
create index recording_copies_copy_sha256 on recording_copies (copy_sha256);
