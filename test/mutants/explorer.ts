import type { FileMutants } from './mutant';

export const explorerMutants: readonly FileMutants[] = [
  {
    file: 'libs/operation/src/explorer/console.controller.ts',
    tests: ['libs/operation/src/explorer/console.controller.spec.ts'],
    mutants: [
      {
        noticed: 'the console is served where the settings do not allow it',
        original: 'if (!this.settings.management.console) throw new NotFoundException();',
      },
    ],
  },
];
