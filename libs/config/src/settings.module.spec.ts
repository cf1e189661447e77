import { Test } from '@nestjs/testing';
import { ConfigService } from '@nestjs/config';
import { Settings } from './settings';
import { SettingsError } from './settings-error';
import { SettingsModule } from './settings.module';

describe('SettingsModule', () => {
  it('gives the settings by class', async () => {
    const module = await Test.createTestingModule({
      imports: [SettingsModule.forRoot({ SERVICE__PROFILE: 'development', SERVICE__HTTP__PORT: '4001' })],
    }).compile();
    expect(module.get(Settings).http.port).toBe(4001);
  });

  it('gives what the ConfigService keeps of the environment it was given, and of no other', async () => {
    const module = await Test.createTestingModule({
      imports: [SettingsModule.forRoot({ SERVICE__PROFILE: 'development' })],
    }).compile();
    const service = module.get(ConfigService, { strict: false });
    expect(module.get(Settings)).toEqual(service.get('settings'));
    expect(service.get('SERVICE__PROFILE')).toBeUndefined();
  });

  it('refuses to start with wrong settings', async () => {
    const starting = Test.createTestingModule({ imports: [SettingsModule.forRoot({})] }).compile();
    await expect(starting).rejects.toBeInstanceOf(SettingsError);
  });
});
