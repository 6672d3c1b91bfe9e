# Plans one region with a mocked provider.
mock_provider "google" {
  override_during = plan
  mock_resource "google_compute_disk" {
    defaults = { id = "disk" }
  }
  mock_data "google_compute_zones" {
    defaults = { names = ["us-east4-c", "us-east4-a", "us-east4-b"] }
  }
}

variables {
  cluster     = "shop"
  tag         = "morty-shop"
  network     = "network"
  region      = { name = "us-east", cloud_region = "us-east4", cidr = "10.10.0.0/16", servers = 4, clients = 2 }
  server_type = "n2-standard-8"
  client_type = "n2-standard-4"
  data_gib    = 100
  public_key  = "ssh-ed25519 AAAA"
}

run "servers_are_spread_over_the_zones_with_their_disks" {
  command = plan
  assert {
    condition     = [for name in ["us-east-1", "us-east-2", "us-east-3", "us-east-4"] : google_compute_disk.data[name].zone] == ["us-east4-a", "us-east4-b", "us-east4-c", "us-east4-a"]
    error_message = "The disks are not spread over the zones in turn."
  }
  assert {
    condition     = alltrue([for name, disk in google_compute_disk.data : google_compute_instance.server[name].zone == disk.zone])
    error_message = "A server is not in the zone of its disk."
  }
  assert {
    condition     = alltrue([for name, disk in google_compute_disk.data : google_compute_instance.server[name].attached_disk[0].device_name == "data"])
    error_message = "A server has no disk by the name that start.sh looks for."
  }
  assert {
    condition     = length(setintersection(["morty-shop"], google_compute_instance.server["us-east-1"].tags)) == 1
    error_message = "The firewall does not apply to the servers."
  }
  assert {
    condition     = google_compute_instance.client["us-east-client-2"].metadata["ssh-keys"] == "admin:ssh-ed25519 AAAA"
    error_message = "The operators have no access to the client."
  }
}
