CREATE TABLE IF NOT EXISTS `records_sample_events` (
  _scope LowCardinality(String),
  _at UInt64,
  _seq UInt32,
  `Datetime` Int64,
  `Name` String,
  `Score` Float64,
  `IsBot` Bool,
  `Metadata` String,
  `Tags` Array(String),
  `Codes` Array(Int64),
  INDEX _at_range _at TYPE minmax
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(_at, 1000000000), 'UTC'))
ORDER BY (_scope, _at, _seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 1073741824, merge_selector_base = 20, auto_statistics_types = '', max_bytes_to_merge_at_max_space_in_pool = 1073741824, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS `ingest_keys` (
  _scope String,
  dataset String,
  key String,
  part UInt32,
  body String,
  _at UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(toDateTime(intDiv(_at, 1000000000), 'UTC'))
ORDER BY (_scope, dataset, key, part, _at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE `records_sample_events` ADD COLUMN IF NOT EXISTS `Tags` Array(String), ADD COLUMN IF NOT EXISTS `Codes` Array(Int64);
