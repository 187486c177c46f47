import { expect, it } from '@jest/globals';
import { readXml } from '../xml/read-xml.js';
import { specialHoursOf, weeklyHoursOf } from './opening-hours.js';

it('reads the hours of each day of a year, all in one schedule', () => {
  const times = Array.from({ length: 366 }, () => '<OperationTime Mon="true" Start="07:00" End="19:00"/>').join('');
  const schedules = readXml(
    `<OperationSchedules><OperationSchedule><OperationTimes>${times}</OperationTimes></OperationSchedule></OperationSchedules>`,
  );
  expect(weeklyHoursOf(schedules)).toHaveLength(366);
  expect(specialHoursOf(schedules)).toEqual([]);
});
