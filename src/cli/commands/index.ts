/** Every command, in the order the help shows them. */
import type { Command } from '../command.ts'
import { accountCommands } from './accounts.ts'
import { auditCommands } from './audit.ts'
import { backupCommands } from './backup.ts'
import { completionCommands } from './completion.ts'
import { destinationCommands } from './destinations.ts'
import { doctorCommands } from './doctor.ts'
import { edgeCommands } from './edge.ts'
import { generateCommands } from './generate.ts'
import { ingestCommands } from './ingest.ts'
import { jobCommands } from './jobs.ts'
import { jobStatusCommands } from './jobs-status.ts'
import { listCommands } from './lists.ts'
import { managedCommands } from './managed.ts'
import { ownershipCommands } from './ownership.ts'
import { previewCommands } from './preview.ts'
import { replayCommands } from './replay.ts'
import { ruleCommands } from './rules.ts'
import { rulesetCommands } from './rulesets.ts'
import { serveCommands } from './serve.ts'
import { tailCommands } from './tail.ts'
import { tokenCommands } from './tokens.ts'
import { traceCommands } from './trace.ts'
import { userCommands } from './users.ts'
import { zoneCommands } from './zones.ts'

export const commands: readonly Command[] = [
  ...serveCommands,
  ...backupCommands,
  ...doctorCommands,
  ...ingestCommands,
  ...generateCommands,
  ...previewCommands,
  ...tailCommands,
  ...jobCommands,
  ...jobStatusCommands,
  ...destinationCommands,
  ...ownershipCommands,
  ...rulesetCommands,
  ...managedCommands,
  ...traceCommands,
  ...replayCommands,
  ...edgeCommands,
  ...listCommands,
  ...accountCommands,
  ...zoneCommands,
  ...userCommands,
  ...tokenCommands,
  ...auditCommands,
  ...ruleCommands,
  ...completionCommands(() => commands),
]
