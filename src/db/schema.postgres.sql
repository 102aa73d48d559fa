accounts.id text collate C not null
accounts.name text collate C not null
accounts.created_on text collate C not null
audit_logs.number bigint not null identity
audit_logs.id text collate C not null
audit_logs.account_id text collate C
audit_logs.zone_id text collate C
audit_logs.zone_name text collate C
audit_logs.actor_id text collate C not null
audit_logs.actor_email text collate C not null
audit_logs.actor_ip text collate C not null
audit_logs.actor_type text collate C not null
audit_logs.credential_type text collate C not null
audit_logs.credential_id text collate C not null
audit_logs.credential_name text collate C not null
audit_logs.interface text collate C not null
audit_logs.action_type text collate C not null
audit_logs.resource_type text collate C not null
audit_logs.resource_id text collate C not null
audit_logs.old_value text collate C not null
audit_logs.new_value text collate C not null
audit_logs.metadata text collate C not null
audit_logs.happened_at text collate C not null
members.id text collate C not null
members.account_id text collate C not null
members.user_id text collate C not null
members.role text collate C not null
members.created_on text collate C not null
tokens.id text collate C not null
tokens.account_id text collate C not null
tokens.user_id text collate C not null
tokens.name text collate C not null
tokens.token_hash text collate C not null
tokens.permissions text collate C not null
tokens.zones text collate C
tokens.created_on text collate C not null
tokens.expires_on text collate C
users.id text collate C not null
users.email text collate C not null
users.key_hash text collate C not null
users.is_super bigint not null
users.created_on text collate C not null
zones.id text collate C not null
zones.account_id text collate C not null
zones.name text collate C not null
zones.created_on text collate C not null
zones.modified_on text collate C not null
accounts: PRIMARY KEY (id)
audit_logs: UNIQUE (id)
audit_logs: PRIMARY KEY (number)
members: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
members: PRIMARY KEY (id)
members: FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
tokens: FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
tokens: PRIMARY KEY (id)
tokens: UNIQUE (token_hash)
tokens: FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
users: UNIQUE (email)
users: PRIMARY KEY (id)
zones: FOREIGN KEY (account_id) REFERENCES accounts(id)
zones: PRIMARY KEY (id)
CREATE UNIQUE INDEX accounts_pkey ON public.accounts USING btree (id)
CREATE INDEX audit_account ON public.audit_logs USING btree (account_id, number)
CREATE INDEX audit_actor ON public.audit_logs USING btree (actor_id, number)
CREATE UNIQUE INDEX audit_logs_id_key ON public.audit_logs USING btree (id)
CREATE UNIQUE INDEX audit_logs_pkey ON public.audit_logs USING btree (number)
CREATE INDEX members_of_user ON public.members USING btree (user_id)
CREATE UNIQUE INDEX members_pkey ON public.members USING btree (id)
CREATE UNIQUE INDEX members_user ON public.members USING btree (account_id, user_id)
CREATE INDEX tokens_account ON public.tokens USING btree (account_id)
CREATE UNIQUE INDEX tokens_pkey ON public.tokens USING btree (id)
CREATE UNIQUE INDEX tokens_token_hash_key ON public.tokens USING btree (token_hash)
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (email)
CREATE UNIQUE INDEX users_pkey ON public.users USING btree (id)
CREATE UNIQUE INDEX zones_name ON public.zones USING btree (account_id, name)
CREATE UNIQUE INDEX zones_pkey ON public.zones USING btree (id)
