/** Requests that no HTTP library would send: bytes on a socket, and the answer as it came. */
import { connect } from 'node:net'

export type RawAnswer = { readonly status: number; readonly headers: Map<string, string>; readonly body: string }

/** Sends the bytes and reads until the service closes, or until the answer is complete by its Content-Length. */
export function sendRaw(baseUrl: string, bytes: string | Buffer, patienceMs = 10_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes))
    const got: Buffer[] = []
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('the service did not answer in time')))
    socket.on('data', (chunk) => {
      got.push(chunk)
      const answer = readAnswer(Buffer.concat(got))
      if (answer && answer.body.length >= Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY)) {
        socket.destroy()
        resolve(answer)
      }
    })
    socket.on('close', () => {
      const answer = readAnswer(Buffer.concat(got))
      if (answer) resolve(answer)
      else reject(new Error('the service closed the connection without an answer'))
    })
    socket.on('error', (error) => {
      if (got.length === 0) reject(error)
    })
  })
}

function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) }
}
