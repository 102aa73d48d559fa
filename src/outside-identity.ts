/** Who the operator is towards the stores: credentials by the vendors' own chains. */
import { type AwsCredentials, type Outside, OutsideError } from './destinations/index.ts'
import { inTime } from './outside-request.ts'

export type IdentitySettings = {
  readonly awsCredentials?: () => Promise<AwsCredentials>
  readonly googleToken?: () => Promise<string>
}

/**
 * The operator's own identity. The vendors' libraries read files and environment and ask metadata services over
 * connections of their own: that is the operator's word, no tenant's, so it does not pass the guard. Both keep what
 * they got until shortly before it expires. They are loaded when first needed, since they are large.
 */
export function openIdentities(
  settings: IdentitySettings,
  connectMs: number,
): Pick<Outside, 'awsCredentials' | 'googleToken'> {
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined
    return () => {
      made ??= make()
      return made
    }
  }
  const aws = once(async () => (await import('@aws-sdk/credential-providers')).fromNodeProviderChain())
  const google = once(async () => {
    const { GoogleAuth } = await import('google-auth-library')
    return new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/devstorage.read_write'] })
  })
  const identify = async <T>(store: string, get: () => Promise<T>): Promise<T> => {
    try {
      return await inTime(get(), connectMs, `no identity for ${store} in time`)
    } catch (error) {
      throw new OutsideError('identity', `the service has no identity of its own for ${store}`, error)
    }
  }
  return {
    awsCredentials: () => identify('S3', settings.awsCredentials ?? (async () => (await aws())())),
    googleToken: () =>
      identify(
        'Google Cloud Storage',
        settings.googleToken ?? (async () => String(await (await google()).getAccessToken())),
      ),
  }
}
