import type { Settings } from '@app/config';
import { NotFoundException } from '@nestjs/common';
import { ConsoleController } from './console.controller';

describe('the console', () => {
  it.each(['development', 'production'])('is not served unless it is set, in %s', async (profile) => {
    const controller = new ConsoleController({ profile, management: { console: false } } as Settings, '/nowhere');
    await expect(controller.page()).rejects.toThrow(NotFoundException);
    await expect(controller.asset('console.js')).rejects.toThrow(NotFoundException);
  });
});
