// What Ignition 0.35.0 is built with. It is older than Go modules; this file stands in its source tree.
module github.com/coreos/ignition

go 1.24.0

require (
	github.com/ajeddeloh/go-json v0.0.0-20170920214419-6a2fe990e083
	github.com/aws/aws-sdk-go v1.8.39
	github.com/coreos/go-semver v0.1.0
	github.com/coreos/go-systemd v0.0.0-20181031085051-9002847aa142
	github.com/go-ini/ini v1.25.4
	github.com/godbus/dbus v4.1.0+incompatible
	github.com/jmespath/go-jmespath v0.4.0
	github.com/pin/tftp v2.1.0+incompatible
	github.com/vincent-petithory/dataurl v0.0.0-20160330182126-9a301d65acbb
	go4.org v0.0.0-20260112195520-a5071408f32f
	golang.org/x/net v0.48.0
)

require golang.org/x/text v0.32.0 // indirect

// It asks for 5.0, which is no longer to be had under its first name.
replace github.com/godbus/dbus => github.com/godbus/dbus/v5 v5.1.0
