// SPDX-License-Identifier: GPL-2.0
/* A PWM chip that turns nothing: what is applied to its channels is read from the kernel's trace (pwm:pwm_apply). */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>
#include <linux/slab.h>
#include <linux/version.h>

#define NAME "pwm-sim"
#define CHANNELS 2

static struct platform_device *device;

static int sim_apply(struct pwm_chip *chip, struct pwm_device *channel, const struct pwm_state *state)
{
	return 0;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
static const struct pwm_ops sim_ops = {
	.apply = sim_apply,
};

static int sim_probe(struct platform_device *parent)
{
	struct pwm_chip *chip = devm_pwmchip_alloc(&parent->dev, CHANNELS, 0);

	if (IS_ERR(chip))
		return PTR_ERR(chip);
	chip->ops = &sim_ops;
	return devm_pwmchip_add(&parent->dev, chip);
}
#else
static const struct pwm_ops sim_ops = {
	.owner = THIS_MODULE,
	.apply = sim_apply,
};

static int sim_probe(struct platform_device *parent)
{
	struct pwm_chip *chip = devm_kzalloc(&parent->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	chip->dev = &parent->dev;
	chip->ops = &sim_ops;
	chip->npwm = CHANNELS;
	return devm_pwmchip_add(&parent->dev, chip);
}
#endif

static struct platform_driver driver = {
	.driver = { .name = NAME },
	.probe = sim_probe,
};

static int __init sim_init(void)
{
	int error = platform_driver_register(&driver);

	if (error)
		return error;
	device = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device)) {
		platform_driver_unregister(&driver);
		return PTR_ERR(device);
	}
	return 0;
}

static void __exit sim_exit(void)
{
	platform_device_unregister(device);
	platform_driver_unregister(&driver);
}

module_init(sim_init);
module_exit(sim_exit);
MODULE_DESCRIPTION("A simulated PWM chip");
MODULE_LICENSE("GPL");
