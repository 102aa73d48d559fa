/** What destinations look like to the tests: stores and receivers on 127.0.0.1 that check what they are sent. */
export { startAzure } from './azure.ts'
export { makeAuthority, selfSigned } from './certificates.ts'
export { startGcs } from './gcs.ts'
export { hostile } from './hostile.ts'
export { type Received, type Receiver, type ReceiverKind, startReceiver, testAuthority } from './receiver.ts'
export { type S3, s3Keys, startS3 } from './s3.ts'
export { type StoreUnderTest, walkStore } from './store-journey.ts'
