/** What an action needs to know: a form for the common actions, JSON for all of them. */
import type { ComponentType } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { BlockForm } from './block-form.tsx'
import { ExecuteParameters } from './execute-parameters.tsx'
import { FormOrJson } from './form-or-json.tsx'
import type { Language } from './language.ts'
import { LogFieldsForm } from './log-fields-form.tsx'
import { type Members, membersOf } from './members.ts'
import { RedirectForm } from './redirect-form.tsx'
import { RewriteForm } from './rewrite-form.tsx'
import { ScoreForm } from './score-form.tsx'
import { SkipForm } from './skip-form.tsx'

export type ParameterFormProps = {
  readonly phase: string
  readonly value: Members
  /** With pointers below the parameters. */
  readonly errors: readonly ErrorItem[]
  readonly language: Language | undefined
  onChange(value: Members): void
}

const forms: Readonly<Record<string, ComponentType<ParameterFormProps>>> = {
  block: BlockForm,
  execute: ExecuteParameters,
  log_custom_field: LogFieldsForm,
  redirect: RedirectForm,
  rewrite: RewriteForm,
  score: ScoreForm,
  skip: SkipForm,
}

type ActionParametersProps = Omit<ParameterFormProps, 'value' | 'onChange'> & {
  readonly action: string
  readonly value: unknown
  onChange(value: unknown): void
}

export function ActionParameters({ action, value, errors, onChange, ...rest }: ActionParametersProps) {
  const Form = forms[action]
  if (!Form && value === undefined) return null
  return (
    <FormOrJson
      legend="Parameters of the action"
      member="action_parameters"
      value={value}
      errors={errors}
      onChange={onChange}
      form={Form && ((below) => <Form {...rest} value={membersOf(value)} errors={below} onChange={onChange} />)}
      // They stand below the editor of the expression, with carets.
      isShown={({ source }) => /\/(expression|key)$/.test(source?.pointer ?? '')}
    />
  )
}
