/** Where a client is sent: to an address that is fixed or computed, or to the target that a list holds. */
import { lists } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { Check, Select } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import { ExpressionEditor } from './expression-editor.tsx'
import { membersOf, textOf, withMember } from './members.ts'
import { redirectsByList } from './needs.ts'
import { errorsBelow, ValueSource } from './value-source.tsx'

const statuses = [
  ['', '302 Found (the usual)'],
  ['301', '301 Moved Permanently'],
  ['302', '302 Found'],
  ['303', '303 See Other'],
  ['307', '307 Temporary Redirect, keeps the method'],
  ['308', '308 Permanent Redirect, keeps the method'],
] as const

export function RedirectForm(props: ParameterFormProps) {
  return redirectsByList(props.phase) ? <FromList {...props} /> : <FromValue {...props} />
}

function FromValue({ value, errors, language, onChange }: ParameterFormProps) {
  const fixed = membersOf(value.from_value)
  const set = (name: string, next: unknown) => onChange({ ...value, from_value: withMember(fixed, name, next) })
  return (
    <>
      <ValueSource
        label="Target"
        source={membersOf(fixed.target_url)}
        errors={errorsBelow(errors, '/from_value/target_url')}
        language={language}
        placeholder="https://www.example.com/new"
        onChange={(target) => set('target_url', target)}
      />
      <Select
        label="Status"
        value={textOf(fixed.status_code)}
        onChange={(status) => set('status_code', status === '' ? undefined : Number(status))}
        options={statuses}
      />
      <Check
        label="Keep the query of the request"
        checked={fixed.preserve_query_string === true}
        onChange={(isKept) => set('preserve_query_string', isKept)}
      />
    </>
  )
}

function FromList({ value, errors, language, onChange }: ParameterFormProps) {
  const { client, place } = useSession()
  const scope = { account: place.account.id }
  const known = useAnswer((signal) => client.call(lists.listLists, { scope, signal }), [scope])
  const redirects = (known.value ?? []).filter(({ kind }) => kind === 'redirect')
  const list = membersOf(value.from_list)
  const named = textOf(list.name)
  const names = [...new Set([named, ...redirects.map(({ name }) => name)])].filter(Boolean)
  const set = (name: string, next: unknown) => onChange({ ...value, from_list: { ...list, [name]: next } })
  return (
    <>
      <Problem error={known.error} onRetry={known.again} />
      <Select
        label="List of redirects"
        value={named}
        onChange={(name) => set('name', name)}
        options={[['', 'Choose a list'], ...names.map((name) => [name, `$${name}`] as const)]}
        hint={known.value && redirects.length === 0 && 'There is none yet; make one under Lists.'}
      />
      <ExpressionEditor
        label="Looked up by"
        text={textOf(list.key)}
        language={language}
        errors={errors.filter(({ source }) => source?.pointer === '/from_list/key')}
        onChange={(key) => set('key', key)}
      />
    </>
  )
}
