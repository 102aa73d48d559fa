/** The names of what may be done; the contract asks for one, access grants them. */
export type Permission =
  | 'account:admin'
  | 'logs:read'
  | 'logs:edit'
  | 'logs:ingest'
  | 'rulesets:read'
  | 'rulesets:edit'
  | 'edge:decide'
