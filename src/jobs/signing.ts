/**
 * The secrets that requests to the generic HTTPS kind are signed with, in the Standard Webhooks manner. A job has one; a
 * new one stands before it until the next rotation, and both sign, so that a receiver can change over at its leisure.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { type Caller, record } from '../access/index.ts'
import { fingerprint, problems, type Scope, type Vault } from '../base/index.ts'
import { type JobNeeds, newSigningSecret } from './job.ts'
import { findJob, holdJob } from './jobs.ts'

export type Signing = {
  /** Newest first; none when the kind of destination signs nothing. */
  readonly secrets: string[]
}

export async function viewSigning({ db, vault }: JobNeeds, scope: Scope, id: number): Promise<Signing> {
  return { secrets: openSecrets(vault, (await findJob(db, scope, id)).signing_sealed) }
}

/** The newest secret becomes the second, the second ends. Two rotations end a secret that got out. */
export async function rotateSigning(
  { db, vault, now }: JobNeeds,
  caller: Caller,
  scope: Scope,
  id: number,
): Promise<Signing> {
  return db.transaction().execute(async (trx) => {
    const job = await holdJob(trx, scope, id)
    const old = openSecrets(vault, job.signing_sealed)
    if (old.length === 0) throw problems.notSigned(job.destination_kind)
    const secrets = [newSigningSecret(), ...old.slice(0, 1)]
    await trx
      .updateTable('jobs')
      .set({ signing_sealed: vault.seal(JSON.stringify(secrets)) })
      .where('id', '=', id)
      .execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'update',
      resource: { type: 'logexport_job', id: String(id) },
      old: { signing_secrets: old.map(fingerprint) },
      new: { signing_secrets: secrets.map(fingerprint) },
    })
    return { secrets }
  })
}

const openSecrets = (vault: Vault, sealed: string | null): string[] =>
  sealed === null ? [] : JSON.parse(vault.open(sealed))
