/** The heart: carries what came in to where it is wanted. */
export { type Exporter, type ExporterNeeds, startExporter } from './exporter.ts'
export { startHousekeeping } from './housekeeping.ts'
