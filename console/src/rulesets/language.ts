/** The words that rules of a phase may use, as the API tells them. */
import type { catalogue, ResultOf } from '../../../src/contract/index.ts'

export type Language = ResultOf<typeof catalogue.viewLanguage>
