-- The uid of a teaching that no device named beforehand follows from its number (a version 8 UUID, RFC 9562): it is
-- as unique as the number, and ten thousand of them weigh next to nothing in the answer that every new device loads,
-- where random ones cannot be compressed at all.
create function teaching_uid(id bigint) returns uuid language sql immutable as $$
  select ('00000000-0000-8000-8000-' || lpad(to_hex(id), 12, '0'))::uuid
$$;
alter table teachings alter column uid set default teaching_uid(currval('teachings_id_seq'));
