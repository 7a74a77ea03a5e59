/** The suites that together are the whole contract of a driver. The search for leaks and the fuzz need no other server. */
export const wholeContract: readonly string[] = [
  'test/contract/driver.test.ts',
  'test/contract/driver-claims.test.ts',
  'test/contract/driver-ownership.test.ts',
  'test/contract/driver-untouched.test.ts',
  'test/contract/driver-values.test.ts',
  'test/contract/driver-tags.test.ts',
  'test/contract/driver-ends.test.ts',
  'test/contract/driver-network.test.ts',
  'test/contract/driver-failures.test.ts',
];
