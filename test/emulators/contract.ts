/** The suites of the whole contract of a driver. The search for leaks and the fuzz tests need no emulator. */
export const wholeContract: readonly string[] = [
  'test/contract/driver/driver.test.ts',
  'test/contract/ownership/claims.test.ts',
  'test/contract/ownership/ownership.test.ts',
  'test/contract/ownership/untouched.test.ts',
  'test/contract/driver/values.test.ts',
  'test/contract/ownership/tags.test.ts',
  'test/contract/driver/ends.system.test.ts',
  'test/contract/network/network.test.ts',
  'test/contract/driver/failures.test.ts',
];
