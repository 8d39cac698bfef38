-- The identity of the site: the row that had the texts for a first visit alone. Fields that are not in `identity` have their
-- defaults (api/site.defaults.json), as all have without a row. The table keeps its name, since the previous release reads it.
alter table visit_details
  add column identity jsonb not null default '{}',
  -- The revision of the last change; devices get the row with the first page after it.
  add column rev bigint not null default 0;

-- Devices ask for texts of this row no more, so that those written before have to reach them.
update visit_details set rev = sync_alloc();
