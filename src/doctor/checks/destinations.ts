/** Destinations of the jobs that run: their names resolve, they can be dialled and trusted, by the same guarded way as deliveries. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Destination,
  judgeDestination,
  type OutgoingRequest,
  type Outside,
  OutsideError,
  type Trouble,
} from '../../destinations/index.ts'
import { openWorld, StartupError } from '../../service.ts'
import { type Check, doubtful, fine, type Note, type Patient, sayError, wrong } from '../finding.ts'
import { openWith, type SealedJob, sealedOf, vaultOf } from './secret-key.ts'

export const destinations: Check = {
  name: 'destinations',
  says: 'Each destination of an enabled job resolves, can be reached and shows a certificate we trust.',
  async look(patient) {
    const vault = await vaultOf(patient)
    if (!vault) return []
    const jobs = (await sealedOf(patient)).filter(({ enabled }) => enabled === 1)
    const world = openIt(patient)
    if (!world) return []
    try {
      const probe = remembering((request: OutgoingRequest) => world.within(withinMs).send(request))
      const notes: Note[] = []
      // A handful at a time: a thousand jobs mostly share a few hosts, which are asked once.
      for (let at = 0; at < jobs.length; at += 16) {
        const some = jobs.slice(at, at + 16).map(async (job) => {
          const judged = judgeDestination(openWith(vault, job.conf_sealed) ?? '')
          // What cannot be opened is said by the check of the key.
          return judged.ok ? lookAt(patient, job, judged.value, world.within(withinMs), probe) : []
        })
        notes.push(...(await Promise.all(some)).flat())
      }
      return notes.length > 0
        ? notes
        : [fine('jobs', `The destinations of ${jobs.length} enabled jobs can be reached.`)]
    } finally {
      await world.close()
    }
  },
}

const withinMs = 8_000

/** Undefined when the settings of the outside are wrong, which the check of the configuration says. */
function openIt({ config }: Patient) {
  try {
    return openWorld(config)
  } catch (error) {
    if (error instanceof StartupError) return undefined
    throw error
  }
}

type Probe = (request: OutgoingRequest) => Promise<OutsideError | undefined>

async function lookAt(
  patient: Patient,
  job: SealedJob,
  destination: Destination,
  outside: Outside,
  probe: Probe,
): Promise<Note[]> {
  const where = `job ${job.id}, ${job.destination_identity}`
  // Below the file root nothing is dialled, and whether it can be written is the disk's question.
  if (destination.kind === 'file') return patient.config.fileRoot === undefined ? [fileKindOff(patient, where)] : []
  const { asks, trouble } = await rehearse(destination, outside)
  const found = trouble ?? (asks && (await probe(asks)))
  if (found) return [wrong(where, found.message, remedies[found.trouble])]
  if (job.error_message === null) return []
  return [
    doubtful(
      where,
      `It can be reached, but the last delivery failed: ${job.error_message}`,
      `See: spillway jobs status ${job.id}`,
    ),
  ]
}

/** What a delivery would ask of the world first, and whether the world has what it needs for that; nothing is delivered. */
async function rehearse(
  destination: Destination,
  outside: Outside,
): Promise<{ asks?: OutgoingRequest; trouble?: OutsideError }> {
  let asks: OutgoingRequest | undefined
  let trouble: OutsideError | undefined
  const noting = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof OutsideError) trouble ??= error
      throw error
    }
  }
  const enough = new OutsideError('reset', 'only a rehearsal')
  const name = destination.objectName(outside.now(), 'doctor')
  const parcel = {
    name,
    body: Buffer.from('{}\n'),
    contentType: 'application/json',
    contentEncoding: 'identity',
    batchId: name,
  } as const
  await destination.deliver(parcel, {
    ...outside,
    awsCredentials: () => noting(outside.awsCredentials),
    googleToken: () => noting(outside.googleToken),
    async send(request) {
      asks ??= request
      throw enough
    },
  })
  return { ...(asks ? { asks } : {}), ...(trouble ? { trouble } : {}) }
}

/** One HEAD of the bare address for each, without path, credentials or body: any answer at all will do. */
function remembering(send: (request: OutgoingRequest) => Promise<unknown>): Probe {
  const asked = new Map<string, Promise<OutsideError | undefined>>()
  return (request) => {
    const { url, skipVerify, toOperatorEndpoint } = request
    const key = `${url.origin} ${skipVerify} ${toOperatorEndpoint}`
    const known = asked.get(key)
    if (known) return known
    const bare = { ...request, method: 'HEAD', url: new URL('/', url), headers: {}, body: null }
    const answer = send(bare).then(
      () => undefined,
      (error: unknown) => (error instanceof OutsideError ? error : new OutsideError('connect', sayError(error), error)),
    )
    asked.set(key, answer)
    return answer
  }
}

const remedies: Readonly<Record<Trouble, string>> = {
  blocked: 'If it is meant, allow its network with SPILLWAY_ALLOWED_NETWORKS; otherwise change the destination.',
  dns: 'Check the name, and the resolver of this machine (/etc/resolv.conf).',
  connect: 'Is the receiver running, and does a firewall let this machine out to it?',
  timeout: 'Does a firewall drop what this machine sends there?',
  tls: 'Give the receiver a certificate for its name; one of your own authority goes into SPILLWAY_CA_FILE.',
  reset: 'Does the receiver speak HTTPS on that port?',
  identity:
    'Give the service an identity: AWS_* or GOOGLE_APPLICATION_CREDENTIALS in its environment, or a role of the machine.',
  file: 'Let this user write below SPILLWAY_FILE_ROOT.',
  off: 'Set SPILLWAY_FILE_ROOT to the directory for files, or change the destination.',
}

function fileKindOff({ data, isHeld }: Patient, where: string): Note {
  // `npm start` sets the directory by itself, so that whoever asks from another shell does not see it.
  return isHeld || existsSync(join(data, 'exports'))
    ? doubtful(
        where,
        'SPILLWAY_FILE_ROOT is not set here, so it cannot be told whether its files can be written.',
        `Run this with the settings of the service; npm start has ${join(data, 'exports')}.`,
      )
    : wrong(where, 'The kind file is switched off.', remedies.off)
}
